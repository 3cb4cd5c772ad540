import { existsSync } from 'node:fs'

// Variables that are set already take precedence over the file.
const file = ['mintmark/.env', 'src/mintmark/.env'].find((path) => existsSync(path))
if (file !== undefined) process.loadEnvFile(file)

const { env } = process

/** The settings in the file .env of this folder. Your platform's environment takes precedence. */
export const settings = {
  /** The URL of the authorization server. Users, clients and keys belong to it. Its path leaves other paths to your app. */
  issuer: env['MINTMARK_ISSUER'] ?? 'http://localhost:3000/id',
  /** Seals the signing keys in the database. */
  sealingKey: env['MINTMARK_SEALING_KEY'] ?? '',
  /** The secret in the link with which you try the server. */
  tryKey: env['TRY_KEY'] ?? '',
  /** Where the database is: database.ts reads it. */
  environment: env,
}
