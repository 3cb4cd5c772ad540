import type { AuthenticationRecord } from '../../authorization-code.ts'
import { sessionId } from '../../identifiers.ts'
import { nowPlus } from './moments.ts'

export const anAuthentication = (overrides: Partial<AuthenticationRecord> = {}): AuthenticationRecord => ({
  authTime: nowPlus(-120),
  acr: 'urn:example:gold',
  amr: ['pwd', 'otp'],
  sessionId: sessionId('session-1'),
  ...overrides,
})
