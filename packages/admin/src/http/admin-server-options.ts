import type { ServerRequest } from '@mintmark/core/http'
import type { AccessTokens } from '@mintmark/scim'

import type { AdministrationOptions } from '../administration/administration-options.ts'
import type { Actor } from '../audit/actor.ts'
import type { adminScopes } from './admin-scopes.ts'

/** Whom the host's own check admits, and to what. */
export interface HostAdministrator {
  readonly actor: Actor
  readonly scopes: readonly (keyof typeof adminScopes)[]
}

/**
 * What a host gives to `createAdminServer`: what administration needs, and at least one way to tell who administers.
 */
export interface AdminServerOptions extends AdministrationOptions {
  /** The address of the authorization server: administration is served below it, at `/admin/v1`. */
  readonly issuer: string
  /**
   * The authorization server, when clients administer with an access token of ours that has scope values of
   * `adminScopes`.
   * @defaultValue None. Then `authorize` says who administers.
   */
  readonly accessTokens?: AccessTokens
  /**
   * Whether a person may administer with an access token that has the scope. Clients that act for themselves are not
   * asked about.
   * @defaultValue Nobody. Anybody could consent to a client that asks for the scope.
   */
  readonly administrators?: (subject: string) => Promise<boolean>
  /**
   * The host's own check, such as its session or an API key; asked first. Undefined for who is not an administrator.
   * What a browser sends along is admitted from the issuer's own pages alone.
   * @defaultValue None. Then `accessTokens` says who administers.
   */
  readonly authorize?: (request: ServerRequest) => Promise<HostAdministrator | undefined>
}
