import config from '../mintmark.config.json' with { type: 'json' }

const { MINTMARK_ISSUER: issuer, MINTMARK_SQLITE: database, MINTMARK_SEALING_KEY: sealingKey = '' } = process.env

/** The environment overrides mintmark.config.json, as it does for the `mintmark` command. */
export const settings = {
  /** The URL of this server. Users, clients and keys belong to it. */
  issuer: issuer ?? config.issuer,
  /** The file of Mintmark's storage. */
  database: database ?? config.sqlite,
  /** The file of your own user table. */
  users: process.env['USERS_SQLITE'] ?? 'users.db',
  /**
   * The proxies whose `X-Forwarded-For` is trusted to contain the browser's IP address, as a list for Express. All
   * requests through a proxy that is not listed seem to come from one address. Anyone in a listed network can forge
   * addresses.
   */
  trustedProxies: process.env['TRUSTED_PROXIES'] ?? 'loopback',
  /** Seals the signing keys in the database. */
  sealingKey,
}
