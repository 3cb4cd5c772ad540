import type { RequestHead } from '@mintmark/core/http'
import type { AuthorizationServer } from '@mintmark/core'

import type { AdministrationOptions } from '../administration.ts'
import type { Actor } from '../audit/admin-event.ts'
import type { adminScopes } from './admin-scopes.ts'

/** An administrator whom the host has authenticated, with their scope values. */
interface HostAdministrator {
  readonly actor: Actor
  /** Without any, the caller is authenticated and may do nothing: a user who is not an administrator. */
  readonly scopes: readonly (keyof typeof adminScopes)[]
  /**
   * A name that the console shows to the administrator.
   * @defaultValue None. The console shows the identifier of the actor.
   */
  readonly name?: string
}

/** The options of `createAdminServer`. At least one of `accessTokens` and `authorize` is required. */
export interface AdminServerOptions extends AdministrationOptions {
  /** The issuer URL of the authorization server. Administration is served below it, at `/admin/v1`. */
  readonly issuer: string
  /**
   * The authorization server, which verifies the access tokens of administrators.
   * @defaultValue None. Then `authorize` authenticates administrators.
   */
  readonly accessTokens?: Pick<AuthorizationServer, 'accessToken'>
  /**
   * Returns whether a user is an administrator, and so may use an access token with an administrative scope value. Not
   * called for clients that act for themselves.
   * @defaultValue No user is an administrator. Any user could consent to a client that requests such a scope value.
   */
  readonly administrators?: (subject: string) => Promise<boolean>
  /**
   * Scope values of the host's own APIs that only a caller with `admin:write` may give to a client. Other callers also
   * cannot change, enable or remove a client that has one of them, or add a secret to it. They can disable it.
   * @defaultValue None. A caller with `admin:clients:write` can then obtain tokens with every scope value that is not
   * administrative.
   */
  readonly protectedScopes?: readonly string[]
  /**
   * Authenticates administrators by the host's own means, such as a session or an API key. Called first; returns
   * undefined if the caller is not an administrator. Requests of browsers are only accepted from pages of the issuer.
   * @defaultValue None. Then `accessTokens` authenticates administrators.
   */
  readonly authorize?: (request: RequestHead) => Promise<HostAdministrator | undefined>
}
