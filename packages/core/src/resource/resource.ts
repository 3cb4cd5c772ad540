import type { DurationSeconds } from '@mintmark/storage-interface'

/** A protected resource that access tokens may be meant for (RFC 8707). */
export interface Resource {
  /** Its identifier, which becomes the `aud`: an absolute URI without fragment. */
  readonly uri: string
  /** The scope values that mean something there. */
  readonly scopes: readonly string[]
  readonly accessTokenLifetime: DurationSeconds
  /** `jwt`: RFC 9068, read by the resource itself. `opaque`: found in storage, by introspection only. */
  readonly accessTokenFormat: 'jwt' | 'opaque'
}

/** Resources by their identifier. */
export type ResourceRegistry = ReadonlyMap<string, Resource>
