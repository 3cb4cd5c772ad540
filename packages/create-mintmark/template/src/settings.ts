import config from '../mintmark.config.json' with { type: 'json' }

const { MINTMARK_ISSUER: issuer, MINTMARK_SQLITE: database, MINTMARK_SEALING_KEY: sealingKey = '' } = process.env

/** What the environment says goes before mintmark.config.json: the same is true of the `mintmark` command. */
export const settings = {
  /** The address of this server. Accounts, clients and keys belong to it. */
  issuer: issuer ?? config.issuer,
  /** The file of Mintmark's storage. */
  database: database ?? config.sqlite,
  /** The file of your own table of people. */
  people: process.env['PEOPLE_SQLITE'] ?? 'people.db',
  /** Seals the signing keys in the database. */
  sealingKey,
}
