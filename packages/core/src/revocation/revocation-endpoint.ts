import { authenticateClient, type ClientAuthenticationDependencies } from '../client/authenticate-client.ts'
import type { Journal } from '../event/journal.ts'
import { noStore, type Endpoint } from '../http/index.ts'
import { readForm, refuseRepeated } from '../parameters/read-parameters.ts'
import { requireToken } from '../parameters/require-token.ts'
import type { Clock } from '../runtime/clock.ts'
import { revokeToken, type RevokeDependencies } from './revoke-token.ts'

export interface RevocationEndpointDependencies extends ClientAuthenticationDependencies, RevokeDependencies {
  readonly clock: Clock
  readonly journal: Journal
}

/** `POST /token/revocation` (RFC 7009 §2). The answer is the same whatever was found. */
export const revocationEndpoint =
  (deps: RevocationEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    const client = await authenticateClient({ request, form }, now, deps)
    const token = requireToken(form)
    const revoked = await revokeToken({ token, client }, now, deps)
    deps.journal.record(request, { type: 'token.revoked', clientId: client.clientId, revoked })
    return { status: 200, headers: noStore, body: undefined }
  }
