import entra from './entra.json' with { type: 'json' }
import okta from './okta.json' with { type: 'json' }
import type { Transcript } from './transcript.ts'

/** Microsoft Entra ID: matching, provisioning and groups, with and without its flag for compliant behaviour. */
export const entraTranscript: Transcript = entra

/** Okta: the lifecycle of a user and of a pushed group, an import, and the requests of its own test suite. */
export const oktaTranscript: Transcript = okta
