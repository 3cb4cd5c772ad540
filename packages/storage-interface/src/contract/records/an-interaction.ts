import { clientId, userId } from '../../identifiers.ts'
import type { InteractionLogin, InteractionRecord } from '../../interaction.ts'
import { aDigest } from './a-digest.ts'
import { anAuthentication } from './an-authentication.ts'
import { now, nowPlus } from './moments.ts'

/** An open interaction that nobody has signed in to yet, good for an hour. */
export const anInteractionRecord = (overrides: Partial<InteractionRecord> = {}): InteractionRecord => ({
  digest: aDigest('interaction-1'),
  browserDigest: aDigest('browser-1'),
  clientId: clientId('client-1'),
  parameters: {
    client_id: 'client-1',
    response_type: 'code',
    redirect_uri: 'https://app.example/callback',
    scope: 'openid profile',
    state: 'af0ifjsldkj',
  },
  resources: [],
  login: undefined,
  createdAt: now,
  expiresAt: nowPlus(3600),
  version: 1,
  ...overrides,
})

export const aLogin = (overrides: Partial<InteractionLogin> = {}): InteractionLogin => ({
  userId: userId('user-1'),
  userGeneration: 0,
  authentication: anAuthentication(),
  ...overrides,
})
