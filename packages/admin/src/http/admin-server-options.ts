import type { RequestHead } from '@mintmark/core/http'
import type { AuthorizationServer } from '@mintmark/core'

import type { AdministrationOptions } from '../administration.ts'
import type { Actor } from '../audit/admin-event.ts'
import type { adminScopes } from './admin-scopes.ts'

/** An administrator whom the host's own check has authenticated, with their scope values. */
interface HostAdministrator {
  readonly actor: Actor
  readonly scopes: readonly (keyof typeof adminScopes)[]
}

/** The options of `createAdminServer`. At least one of `accessTokens` and `authorize` is required. */
export interface AdminServerOptions extends AdministrationOptions {
  /** The address of the authorization server. Administration is served below it, at `/admin/v1`. */
  readonly issuer: string
  /**
   * The authorization server, which verifies access tokens that have scope values of `adminScopes`.
   * @defaultValue None. Then `authorize` authenticates administrators.
   */
  readonly accessTokens?: Pick<AuthorizationServer, 'accessToken'>
  /**
   * Whether a user may administer with an access token that has the scope. It is not called for clients that act for
   * themselves.
   * @defaultValue No user may. Any user could consent to a client that requests the scope.
   */
  readonly administrators?: (subject: string) => Promise<boolean>
  /**
   * Scope values of the host's own APIs that only a caller with `admin:write` may give to a client. Without that, a caller also
   * cannot change, enable, remove, or add a secret to a client that has one of them; it can disable it.
   * @defaultValue None. A caller with `admin:clients:write` can then obtain tokens with every scope value that is not
   * administrative.
   */
  readonly protectedScopes?: readonly string[]
  /**
   * The host's own check, such as a session or an API key. It is called first, and returns undefined when the caller is
   * not an administrator. Requests of browsers are only accepted from the issuer's own pages.
   * @defaultValue None. Then `accessTokens` authenticates administrators.
   */
  readonly authorize?: (request: RequestHead) => Promise<HostAdministrator | undefined>
}
