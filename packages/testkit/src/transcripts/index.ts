import entra from './entra.json' with { type: 'json' }
import okta from './okta.json' with { type: 'json' }
import type { Transcript } from './transcript.ts'

/** Microsoft Entra ID: matching, provisioning, groups, with its flag for compliant behaviour and without. */
export const entraTranscript: Transcript = entra

/** Okta: the life of a user and of a pushed group, an import, and what its own test suite asks. */
export const oktaTranscript: Transcript = okta
