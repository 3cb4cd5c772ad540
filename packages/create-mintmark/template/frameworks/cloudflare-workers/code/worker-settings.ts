import type { DurableObjectNamespace } from '#durable-object'

/** What wrangler.jsonc and the secrets of the Worker set; in `npm run dev`, the file .env. */
export interface Environment {
  readonly MINTMARK: DurableObjectNamespace
  readonly [name: string]: unknown
}

/** Reads the settings. */
export function settingsOf(environment: Environment) {
  const variables = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
  return {
    /** The URL of this server. Users, clients and keys belong to it. */
    issuer: variables['MINTMARK_ISSUER'] ?? '',
    /** Seals the signing keys in the database. */
    sealingKey: variables['MINTMARK_SEALING_KEY'] ?? '',
    /** Whoever has it can create the first records: `npm run setup`. Empty for nobody. */
    setupKey: variables['SETUP_KEY'] ?? '',
    /** The secret in the link with which you try the server. */
    tryKey: variables['TRY_KEY'] ?? '',
    /** Everything that is text, for users.ts. */
    environment: variables,
  }
}
