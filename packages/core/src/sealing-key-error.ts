import type { SigningKeyRecord } from '@mintmark/storage-interface'

/**
 * This process cannot use the keys in storage: they were sealed with another sealing key, or somebody without the
 * sealing key wrote them. The message says what to change.
 */
export class SealingKeyError extends Error {
  override readonly name = 'SealingKeyError'

  constructor(foreign: readonly Pick<SigningKeyRecord, 'keyId'>[]) {
    super(
      `The stored signing keys were sealed with another sealing key, or written by somebody without it: ${foreign.map(({ keyId }) => keyId).join(', ')}. Start with the key that sealed them, or give both: [old, new].`,
    )
  }
}
