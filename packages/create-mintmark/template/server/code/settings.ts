const { env } = process

/** The settings in .env. Your platform's environment takes precedence. */
export const settings = {
  /** The URL of this server. Users, clients and keys belong to it. */
  issuer: env['MINTMARK_ISSUER'] ?? 'http://localhost:3000',
  /** Seals the signing keys in the database. */
  sealingKey: env['MINTMARK_SEALING_KEY'] ?? '',
  /** The secret in the link with which you try the server. */
  tryKey: env['TRY_KEY'] ?? '',
  /**
   * The proxies whose `X-Forwarded-For` is trusted to contain the browser's IP address, separated by commas. All requests
   * through a proxy that is not listed seem to come from one address. Anyone in a listed network can forge addresses.
   */
  trustedProxies: env['TRUSTED_PROXIES'] ?? 'loopback',
  /** Where the database is: database.ts reads it. */
  environment: env,
}
