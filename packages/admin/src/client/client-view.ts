import type { ClientRecord, EpochSeconds } from '@mintmark/storage-interface'

/** A client as administrators see it: everything but its secrets, of which only their times are told. */
export interface ClientView extends Omit<ClientRecord, 'secrets'> {
  readonly secrets: readonly SecretView[]
}

/** A secret that nobody sees again. */
export interface SecretView {
  readonly createdAt: EpochSeconds
  readonly expiresAt: EpochSeconds | undefined
  /** To within an hour; undefined when it has not been used. */
  readonly lastUsedAt: EpochSeconds | undefined
}

export const clientView = ({ secrets, ...client }: ClientRecord): ClientView => ({
  ...client,
  secrets: secrets.map(secretView),
})

/** What may be told of a secret: its digest is left out too. */
export const secretView = ({ createdAt, expiresAt, lastUsedAt }: SecretView): SecretView => ({
  createdAt,
  expiresAt,
  lastUsedAt,
})
