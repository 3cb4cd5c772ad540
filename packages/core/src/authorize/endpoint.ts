import {
  type Clock,
  type Endpoint,
  noStore,
  redirect,
  type ServerRequest,
  type ServerResponse,
  stopIfAbandoned,
} from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { Journal } from '../events.ts'
import { type Parameters, readForm, readQuery } from '../parameters.ts'
import { describesItself } from '../clients/client-documents.ts'
import { joinSession, type JoinSessionDependencies } from '../sessions/join-session.ts'
import { identifySession } from '../sessions/signed-in-user.ts'
import { requireNavigation } from '../sessions/browser.ts'
import { codeIssuedEvent, issueCode, type IssueCodeDependencies, limitCodes } from './code.ts'
import { decideInteraction, enforcePromptNone } from './decide.ts'
import { limitErrorRedirects } from './error-redirect.ts'
import { requireClientId, verifyRedirect } from '../clients/proven-redirect.ts'
import { openRequest } from './pushed-request.ts'
import {
  parseAuthorizationRequest,
  type AuthorizationRequest,
  type AuthorizationRequestRules,
  type RequestForm,
} from './request.ts'
import type { RequestObjectDependencies } from './request-object.ts'
import { authorizationResponse, type ResponseDependencies } from './response.ts'
import { storeDocumentClient } from './complete-interaction.ts'
import { startInteraction, type InteractionDependencies } from './start-interaction.ts'

export interface AuthorizationEndpointDependencies
  extends
    InteractionDependencies,
    IssueCodeDependencies,
    JoinSessionDependencies,
    RequestObjectDependencies,
    ResponseDependencies {
  readonly clock: Clock
  readonly journal: Journal
  readonly rules: AuthorizationRequestRules
}

/**
 * `GET|POST /auth` (RFC 6749 §3.1, OIDC Core §3.1.2). Client and redirect URI are checked first: until both are proven,
 * errors are shown on a local page without a redirect (RFC 6749 §4.1.2.1). Later errors are returned to the client.
 */
export const authorizationEndpoint =
  (deps: AuthorizationEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    // OIDC Core §3.1.2.1: only the form of a POST is read.
    const received = request.method === 'POST' ? readForm(request, maxParameters) : readQuery(request, maxParameters)
    const client = await deps.clientDocuments.identify(requireClientId(received), now)
    const isSignedIn = async () =>
      (await identifySession(await deps.signedIn(request), now, deps.storage)) !== undefined
    return limitErrorRedirects({ client, isSignedIn }, async () => {
      const opening = openRequest(received, { client, now }, deps)
      const { parameters, form } = opening instanceof Promise ? await opening : opening
      const proven = { client, redirect: verifyRedirect(parameters, client), form }
      const authorization = await parseAuthorizationRequest(parameters, proven, deps.rules)
      // RFC 9110 §9.2.1: HEAD is safe. It issues no code and starts no interaction.
      if (request.method === 'HEAD') return { status: 200, headers: noStore, body: undefined }
      if (isCrossSitePost(request)) {
        return redirectToSelf(request, authorization, referenceIn(received, form))
      }
      return answer({ authorization, request }, now, deps)
    })
  }

async function answer(
  { authorization, request }: { readonly authorization: AuthorizationRequest; readonly request: ServerRequest },
  now: EpochSeconds,
  deps: AuthorizationEndpointDependencies,
): Promise<ServerResponse> {
  const session = await deps.signedIn(request)
  const signedInUser = await identifySession(session, now, deps.storage)
  const decision = await decideInteraction(
    authorization,
    { signedInUser, interaction: undefined, isChosen: false },
    {
      now,
      storage: deps.storage,
      detailTypes: deps.detailTypes,
      interactionUrls: deps.interactionUrls,
      rules: deps.rules,
    },
  )
  enforcePromptNone(decision, authorization)
  if (decision.kind !== 'ready') return startInteraction({ authorization, decision, request, session }, now, deps)

  const { grant, signedInUser: user, organizations } = decision
  const { issuer, keys, keySets } = deps
  requireNavigation(request)
  stopIfAbandoned(request)
  if (describesItself(authorization.client)) await storeDocumentClient(authorization.client, request, deps)
  const allowance = await limitCodes({ request: authorization, signedInUser: user }, now, deps)
  const joined = await joinSession({ http: request, clientId: grant.clientId, signedInUser: user }, now, deps)
  if (joined === undefined) {
    const login = { kind: 'login' } as const
    enforcePromptNone(login, authorization)
    return startInteraction({ authorization, decision: login, request, session }, now, deps)
  }
  const { authentication } = user
  const subject = {
    request: authorization,
    secret: undefined,
    allowance,
    grant,
    consented: authorization.consentScopes,
    resources: authorization.resources,
    details: authorization.details,
    authentication,
    session: joined,
    organizationId: organizations[0]?.organizationId,
  }
  const code = await issueCode(subject, now, deps)
  deps.journal.record(request, codeIssuedEvent(subject))
  return authorizationResponse(code, authorization.target, { issuer, keys, keySets, now })
}

/** Browsers withhold `SameSite=Lax` cookies from a cross-site POST, so the user would appear to be signed out. */
const isCrossSitePost = (request: ServerRequest): boolean =>
  request.method === 'POST' && ['cross-site', 'same-site'].includes(request.headers.get('sec-fetch-site') ?? '')

/**
 * Returns the parameter that contains the whole request, so that other parameters are ignored; `undefined` for a plain
 * request.
 */
function referenceIn(received: Parameters, form: RequestForm): readonly [string, string] | undefined {
  const name = form.kind === 'pushed' ? 'request_uri' : form.kind === 'plain' && form.isSigned ? 'request' : undefined
  const value = name && received.get(name)
  return name === undefined || value === undefined ? undefined : [name, value]
}

/** Redirects the browser to the same request as a GET: browsers send the cookies with this top-level navigation. */
function redirectToSelf(
  request: ServerRequest,
  { client, parameters, resources }: AuthorizationRequest,
  reference: readonly [string, string] | undefined,
): ServerResponse {
  // Only the reference is repeated: other parameters are ignored, and the client may have to sign its requests.
  const repeated =
    reference === undefined ? Object.entries(parameters) : [['client_id', client.clientId], [...reference]]
  const named = reference === undefined ? resources.map((resource) => ['resource', resource]) : []
  const query = new URLSearchParams([...repeated, ...named])
  return redirect(`${request.url.origin}${request.url.pathname}?${query.toString()}`)
}

/**
 * Large enough to read a request with too many resources, so that the error is returned to the client (RFC 8707 §2).
 */
const maxParameters = 128
