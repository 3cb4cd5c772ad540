import { authenticateClient, type ClientAuthenticationDependencies } from '../client/authenticate-client.ts'
import { requireConfidential } from '../client/require-confidential.ts'
import type { Journal } from '../event/journal.ts'
import { json, noStore, withHeaders, type Endpoint, type ServerRequest, type ServerResponse } from '../http/index.ts'
import { signJwt } from '../keys/jws.ts'
import { defaultAlgorithm } from '../key/signing-algorithm.ts'
import { readForm, refuseRepeated } from '../parameters/read-parameters.ts'
import { requireToken } from '../parameters/require-token.ts'
import type { Clock } from '../runtime/clock.ts'
import { introspectToken, type IntrospectDependencies } from './introspect-token.ts'

export interface IntrospectionEndpointDependencies extends ClientAuthenticationDependencies, IntrospectDependencies {
  readonly clock: Clock
  readonly journal: Journal
}

/** `POST /token/introspection` (RFC 7662 §2), answering plain or signed (RFC 9701). */
export const introspectionEndpoint =
  (deps: IntrospectionEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    const caller = requireConfidential(await authenticateClient({ request, form }, now, deps))
    const token = requireToken(form)
    const description = await introspectToken({ token, caller }, now, deps)
    deps.journal.record(request, {
      type: 'token.introspected',
      clientId: caller.clientId,
      active: description['active'] === true,
    })
    if (!wantsSignedAnswer(request)) return json(200, description, [...noStore, vary])

    // RFC 9701 §5: the description is a claim of a JWT that is meant for this caller and for nothing else.
    const claims = { iss: deps.issuer, aud: caller.clientId, iat: now, token_introspection: description }
    // RFC 9701 §6: RS256 where nothing else was agreed.
    return signedAnswer(
      await signJwt('token-introspection+jwt', claims, await deps.keys.signer(defaultAlgorithm(deps.keys))),
    )
  }

/** RFC 9701 §4: the caller asks for it in the Accept header. */
const wantsSignedAnswer = (request: ServerRequest): boolean =>
  (request.headers.get('accept') ?? '')
    .split(',')
    .some((range) => range.split(';', 1)[0]?.trim().toLowerCase() === signedMediaType)

const signedAnswer = (jwt: string): ServerResponse =>
  withHeaders({ status: 200, headers: [['Content-Type', signedMediaType]], body: jwt }, [...noStore, vary])

const signedMediaType = 'application/token-introspection+jwt'

const vary = ['Vary', 'Accept'] as const
