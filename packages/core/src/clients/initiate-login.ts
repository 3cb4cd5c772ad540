import type { ClientRecord } from '@mintmark/storage-interface'

/** What the client learns about the sign-in that somebody else starts (OIDC Core §4). */
export interface LoginHints {
  /** Who is to sign in: for the client to pass on as `login_hint` of its request. */
  readonly loginHint?: string
  /** The page of the client that the user wants to see. Clients accept only their own pages. */
  readonly targetLinkUri?: string
}

/**
 * Returns the URL that makes a client start a sign-in at this server: third-party initiated login (OIDC Core §4).
 * @returns `undefined` when the client has registered no `initiate_login_uri`.
 */
export function initiateLoginUrl(
  { initiateLoginUri }: Pick<ClientRecord, 'initiateLoginUri'>,
  issuer: string,
  { loginHint, targetLinkUri }: LoginHints = {},
): string | undefined {
  if (initiateLoginUri === undefined) return undefined
  const url = new URL(initiateLoginUri)
  // OIDC Core §4: `iss` is required, because a client of several servers must know at which one to sign in.
  url.searchParams.set('iss', issuer)
  if (loginHint !== undefined) url.searchParams.set('login_hint', loginHint)
  if (targetLinkUri !== undefined) url.searchParams.set('target_link_uri', targetLinkUri)
  return url.href
}
