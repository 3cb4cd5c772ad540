import type { AuthorizationServer, SignedIn } from '@mintmark/core'

interface Decision {
  /** From the message. */
  readonly requestId: string
  readonly allow: boolean
  /** The account that the user chose, for `enrich` of the type. */
  readonly account: string
}

/** Handles the request that the app on the phone sends when the user presses a button. `session` is your own session. */
export async function decide(server: AuthorizationServer, session: SignedIn, decision: Decision) {
  const pending = await server.approval(decision.requestId, session.subject)
  if (pending === undefined) return 'ended'
  if (!decision.allow) return pending.deny()
  return pending.approve({
    ...session,
    grantedScopes: pending.scopes.map(({ name }) => name),
    grantedDetails: pending.details.map(({ id }) => ({ id, choice: decision.account })),
  })
}
