import type { EpochSeconds, InteractionRecord } from '@mintmark/storage-interface'

import type { AuthorizationRequest } from '../authorization/authorization-request.ts'
import { authorizationErrorResponse, authorizationResponse } from '../authorization/authorization-response.ts'
import { codeIssued, issueCode, type IssueCodeDependencies } from '../authorization/issue-code.ts'
import { OAuthError } from '../error/oauth-error.ts'
import { redirect, type ServerRequest, type ServerResponse } from '../http/index.ts'
import type { SignedIn } from '../session/signed-in.ts'
import { decideInteraction, type InteractionDecision } from './decide-interaction.ts'
import { identifyPerson, loginOf, recallPerson, type Person } from './person.ts'
import { saveGrant } from './save-grant.ts'
import { interactionLocation, type InteractionDependencies } from './start-interaction.ts'

/** A scope that the client asks for, as a consent page shows it. */
export interface RequestedScope {
  readonly name: string
  /** A sentence for people. */
  readonly description: string
  /** Whether the person has consented to it before. */
  readonly granted: boolean
}

/** What the host's page decided. Members that are left out are still to come. */
export interface InteractionAnswer extends Partial<SignedIn> {
  /** The scope values that the person consents to. Those that were not requested mean nothing; a list of none denies. */
  readonly grantedScopes?: readonly string[] | undefined
}

/** An authorization request that waits for its person, as the host's page sees it. */
export interface PendingInteraction {
  /** What is needed next. */
  readonly kind: 'login' | 'consent'
  readonly client: { readonly clientId: string; readonly clientName: string }
  /** Where the browser goes in the end; verified. */
  readonly redirectUri: string
  readonly scopes: readonly RequestedScope[]
  /** Who has signed in to this interaction, when somebody has. */
  readonly subject: string | undefined
  /** What the client believes the person's login name to be: encode it wherever it is shown. */
  readonly loginHint: string | undefined
  /** The authentication contexts that the client would like or insists on, best first (OIDC Core §3.1.2.1, §5.5.1.1). */
  readonly acrValues: readonly string[]
  /** The person's preferred languages, best first (OIDC Core §3.1.2.1). */
  readonly uiLocales: readonly string[]
  /**
   * Goes on with what the person did. The answer is a redirect: to the client when all is done, to the host's page for what is missing.
   * @throws OAuthError invalid_request — reason `interaction_completed` when another tab was faster.
   * @throws TypeError when `subject` comes without `authTime`.
   */
  complete(answer: InteractionAnswer): Promise<ServerResponse>
  /** Tells the client that the person refused (`access_denied`). @throws as `complete` does. */
  deny(): Promise<ServerResponse>
}

export interface PendingInteractionDependencies extends InteractionDependencies, IssueCodeDependencies {
  readonly issuer: string
}

/** Everything a step of an interaction works on. */
interface Step {
  readonly http: ServerRequest
  readonly handle: string
  readonly record: InteractionRecord
  readonly request: AuthorizationRequest
  readonly now: EpochSeconds
}

export async function pendingInteraction(step: Step, deps: PendingInteractionDependencies): Promise<PendingInteraction> {
  const { record, request } = step
  const decision = await decide(step, await recallPerson(record.login, deps.storage), deps)
  const granted = decision.kind === 'login' ? [] : (decision.grant?.scopes ?? [])

  return {
    kind: decision.kind === 'login' ? 'login' : 'consent',
    client: { clientId: request.client.clientId, clientName: request.client.clientName },
    redirectUri: request.target.redirect,
    scopes: request.consentScopes.map((name) => ({
      name,
      description: deps.scopes.get(name)?.description ?? name,
      granted: granted.includes(name),
    })),
    subject: decision.kind === 'login' ? undefined : decision.person.user.userId,
    loginHint: request.loginHint,
    acrValues: request.acrValues,
    uiLocales: request.uiLocales,
    complete: (answer) => complete(answer, step, deps),
    deny: () => refuse('person_refused', step, deps),
  }
}

async function complete(
  answer: InteractionAnswer,
  step: Step,
  deps: PendingInteractionDependencies,
): Promise<ServerResponse> {
  const { request, record, handle } = step
  // The stored request wins: a form that was changed on the way cannot ask for more (RFC 6749 §3.3).
  const granted = answer.grantedScopes && request.consentScopes.filter((scope) => answer.grantedScopes?.includes(scope))
  if (granted?.length === 0) return refuse('person_refused', step, deps)

  const person = isSignIn(answer) ? await identifyPerson(answer, deps.storage) : await recallPerson(record.login, deps.storage)
  if (isSignIn(answer) && person === undefined) return refuse('account_not_active', step, deps)
  const decision = await decide(step, person, deps)
  if (decision.kind === 'login') return redirect(interactionLocation(deps.interactionUrls.login, handle))
  if (decision.kind === 'consent' && granted === undefined) return askConsent(decision.person, step, deps)

  await consume(step, deps)
  const consented = granted ?? request.consentScopes
  const grant =
    decision.kind === 'ready' && granted === undefined
      ? decision.grant
      : await saveGrant({ request, person: decision.person, scopes: consented }, step.now, deps)
  const code = await issueCode({ request, grant, consented, authentication: decision.person.authentication }, step.now, deps)
  deps.journal.record(step.http, codeIssued(request, grant))
  return authorizationResponse(code, request.target, deps.issuer)
}

/** Ends the interaction with a refusal: the person's own, or that of an account that is not, or no longer, active. */
async function refuse(
  reason: 'person_refused' | 'account_not_active',
  step: Step,
  deps: PendingInteractionDependencies,
): Promise<ServerResponse> {
  await consume(step, deps)
  deps.journal.record(step.http, { type: 'interaction.denied', clientId: step.request.client.clientId, reason })
  // RFC 6749 §4.1.2.1: access_denied.
  const refusal = new OAuthError('access_denied', 'The request was not approved.', { reason })
  return authorizationErrorResponse(refusal, step.request.target, deps.issuer)
}

const decide = (step: Step, person: Person | undefined, deps: InteractionDependencies): Promise<InteractionDecision> =>
  decideInteraction(step.request, { person, startedAt: step.record.createdAt }, { now: step.now, storage: deps.storage })

/** Remembers who signed in, and goes on to the host's consent page. */
async function askConsent(person: Person, step: Step, deps: InteractionDependencies): Promise<ServerResponse> {
  const { digest, browserDigest, version } = step.record
  const recorded = await deps.storage.interactions.recordLogin({
    digest,
    browserDigest,
    version,
    login: loginOf(person),
    now: step.now,
  })
  if (recorded.outcome === 'absent') throw alreadyCompleted()
  // On a conflict another tab of this browser went on with this interaction meanwhile; the page shows where it stands.
  return redirect(interactionLocation(deps.interactionUrls.consent, step.handle))
}

async function consume(step: Step, deps: InteractionDependencies): Promise<void> {
  const { digest, browserDigest } = step.record
  const consumed = await deps.storage.interactions.consume(digest, browserDigest, step.now)
  // One interaction ends once: a second submit must not make a second code.
  if (consumed.outcome !== 'won') throw alreadyCompleted()
}

function isSignIn(answer: InteractionAnswer): answer is InteractionAnswer & SignedIn {
  if (answer.subject !== undefined && answer.authTime === undefined) throw new TypeError('A subject needs an authTime.')
  return answer.subject !== undefined
}

const alreadyCompleted = (): OAuthError =>
  new OAuthError('invalid_request', 'This sign-in was already completed. Go back to the application and start again.', {
    reason: 'interaction_completed',
  })
