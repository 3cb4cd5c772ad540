import type { SigningKeyRecord } from '@mintmark/storage-interface'

/**
 * This process cannot use the keys in storage: they were sealed with another sealing key, or somebody without the
 * sealing key wrote them. The message says what to change.
 */
export class SealingKeyError extends Error {
  override readonly name = 'SealingKeyError'

  constructor(foreign: readonly ForeignKey[]) {
    const withoutMac = foreign.filter(({ hasMac }) => hasMac === false)
    const others = foreign.filter(({ hasMac }) => hasMac !== false)
    super(
      [
        others.length > 0 &&
          `The stored signing keys were sealed with another sealing key, or written by somebody without it: ${listed(others)}. Start with the key that sealed them, or give both: [old, new].`,
        withoutMac.length > 0 &&
          `The rows of the signing keys ${listed(withoutMac)} have no MAC (row_mac). An older version wrote them, or somebody without the sealing key did; this version cannot tell which. Delete these rows from mintmark_signing_keys: the server then creates new keys, and the access tokens that the old ones signed end.`,
      ]
        .filter((sentence) => sentence !== false)
        .join(' '),
    )
  }
}

/** A key that this process cannot use. `hasMac` is false if nothing shows who wrote its row. */
interface ForeignKey extends Pick<SigningKeyRecord, 'keyId'> {
  readonly hasMac?: boolean
}

const listed = (keys: readonly ForeignKey[]): string => keys.map(({ keyId }) => keyId).join(', ')
