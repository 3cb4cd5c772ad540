import { authenticateClient, type ClientAuthenticationDependencies } from '../client/authenticate-client.ts'
import type { Journal } from '../event/journal.ts'
import { subjectOf, type GrantType } from '../grant/grant.ts'
import { selectGrant } from '../grant/select-grant.ts'
import type { Endpoint } from '../http/index.ts'
import { readForm, refuseRepeated } from '../parameters/read-parameters.ts'
import type { Clock } from '../runtime/clock.ts'
import { mintTokens, type MintDependencies } from './mint-tokens.ts'
import { tokenResponse } from './token-response.ts'

export interface TokenEndpointDependencies extends ClientAuthenticationDependencies, MintDependencies {
  readonly clock: Clock
  readonly grants: readonly GrantType[]
  readonly journal: Journal
}

/** `POST /token` (RFC 6749 §3.2). */
export const tokenEndpoint =
  (deps: TokenEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    const client = await authenticateClient({ request, form }, now, deps)
    const grant = selectGrant(form, client, deps.grants)
    const decision = await grant.decide(form, client, now)
    const tokens = await mintTokens(decision, now, deps)
    deps.journal.record(request, {
      type: 'tokens.issued',
      grantType: grant.grantType,
      clientId: client.clientId,
      subject: subjectOf(decision),
      familyId: decision.forUser?.familyId,
      scopes: decision.target.scopes,
      audience: decision.target.audience,
    })
    return tokenResponse(tokens)
  }
