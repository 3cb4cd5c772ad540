import type { UserRecord } from '@mintmark/storage-interface'
import { expectTypeOf, it } from 'vitest'

import type { VerifiedAccessToken } from '../access-token/verified-access-token.ts'
import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import type { RotatedFamily } from '../refresh/rotate-refresh-token.ts'
import type { ProvenVerifier } from '../token/code-verifier.ts'
import type { RedeemedCode } from '../token/redeem-code.ts'
import type { GrantDecision, GrantEvidence, UserDecision } from './grant.ts'

// What is asserted here is asserted by the type check.

it('mints tokens only with the evidence of a grant', () => {
  expectTypeOf<RedeemedCode>().toExtend<GrantEvidence>()
  expectTypeOf<RotatedFamily>().toExtend<GrantEvidence>()
  expectTypeOf<GrantDecision['evidence']>().toEqualTypeOf<GrantEvidence>()
})

it('does not accept a plain object or the evidence of another check as the evidence of a grant', () => {
  expectTypeOf<object>().not.toExtend<GrantEvidence>()
  expectTypeOf<AuthenticatedClient>().not.toExtend<GrantEvidence>()
  expectTypeOf<ProvenVerifier>().not.toExtend<GrantEvidence>()
  expectTypeOf<VerifiedAccessToken>().not.toExtend<GrantEvidence>()
})

it('mints tokens about a user only after the status of the user was checked', () => {
  expectTypeOf<UserRecord>().not.toExtend<UserDecision['user']>()
})
