import type { ServerResponse } from '../http/index.ts'
import {
  completeInteraction,
  decideStep,
  denyInteraction,
  type CompleteInteractionDependencies,
  type InteractionAnswer,
  type InteractionStep,
} from './complete-interaction.ts'
import { accountNameOf } from './account-name.ts'
import { recallUser } from '../sessions/signed-in-user.ts'

/** A scope that the client asks for, as a consent page shows it. */
export interface RequestedScope {
  readonly name: string
  /** A sentence for people. */
  readonly description: string
  /** Whether the person has consented to it before. */
  readonly granted: boolean
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
  /** How they know their account, for the page: from the account's claims. Encode it wherever it is shown. */
  readonly accountName: string | undefined
  /** What the client believes the person's login name to be: encode it wherever it is shown. */
  readonly loginHint: string | undefined
  /** The authentication contexts that the client would like or insists on, best first (OIDC Core §3.1.2.1, §5.5.1.1). */
  readonly acrValues: readonly string[]
  /** The person's preferred languages, best first (OIDC Core §3.1.2.1). */
  readonly uiLocales: readonly string[]
  /**
   * Goes on with what the person did. The answer is a redirect: to the client when all is done, to the host's page for what is missing.
   * @throws whatever `renderError` renders: OAuthError invalid_request — reason `interaction_completed` when another tab
   *   was faster; unmet_authentication_requirements — reason `acr_unmet`, which goes to the client.
   * @throws TypeError when `authTime` is missing, not in seconds, or in the future.
   */
  complete(answer: InteractionAnswer): Promise<ServerResponse>
  /** Tells the client that the person refused (`access_denied`). @throws as `complete` does. */
  deny(): Promise<ServerResponse>
}

/** What stands between the person and the client, for the host to show and to answer. */
export async function pendingInteraction(
  step: InteractionStep,
  deps: CompleteInteractionDependencies,
): Promise<PendingInteraction> {
  const { record, request } = step
  const decision = await decideStep(step, await recallUser(record.login, deps.storage), deps)
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
    accountName: decision.kind === 'login' ? undefined : accountNameOf(decision.person.user),
    loginHint: request.loginHint,
    acrValues: request.acrValues,
    uiLocales: request.uiLocales,
    complete: (answer) => completeInteraction(answer, step, deps),
    deny: () => denyInteraction(step, deps),
  }
}
