import entra from './entra.json' with { type: 'json' }
import okta from './okta.json' with { type: 'json' }
import type { Transcript } from './transcript.ts'

/**
 * The requests that identity providers send. `entra` (Microsoft Entra ID) covers matching, provisioning and groups,
 * with and without its flag for compliant behaviour. `okta` (Okta) covers the lifecycle of a user and of a pushed
 * group, an import, and the requests of Okta's own test suite.
 */
export const transcripts: { readonly entra: Transcript; readonly okta: Transcript } = { entra, okta }
