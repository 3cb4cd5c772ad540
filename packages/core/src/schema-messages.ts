import { en } from 'zod/locales'

/**
 * English sentences for the issues that a schema reports. `zod/mini` has none, and zod's global configuration belongs
 * to the host.
 */
export const inWords = { error: en().localeError }
