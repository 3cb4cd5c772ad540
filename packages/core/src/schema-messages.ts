import { en } from 'zod/locales'

/** English for what a schema refuses. `zod/mini` comes without, and what zod keeps for all who use it is the host's. */
export const inWords = { error: en().localeError }
