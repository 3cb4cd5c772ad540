/** How to use a measured server through standard protocols, so that the same workloads run against every server. */
export interface Site {
  readonly port: number
  /** The authorization server; absent if only SCIM is measured. */
  readonly oauth?: OauthSite
  /** The SCIM server; absent if only OAuth is measured. */
  readonly scim?: ScimSite
}

/** How to use an authorization server. */
export interface OauthSite {
  /** Endpoints that the server does not offer are absent. */
  readonly paths: {
    readonly token: string
    readonly authorize?: string
    /** The pushed authorization request endpoint. */
    readonly push?: string
    readonly introspection?: string
    readonly userinfo?: string
    readonly metadata?: string
    readonly jwks?: string
  }
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  /** The scope that users have granted to the client. */
  readonly scope: string
  /** Session cookies: each signs a user in at the authorization endpoint. The user's consent is stored. */
  readonly cookies: readonly string[]
  /** Further parameters that the server requires in a client credentials request. */
  readonly serviceParameters: Readonly<Record<string, string>>
}

/** How to use a SCIM server that contains the users of `scim-user.ts`. */
export interface ScimSite {
  /** The path before `/Users`. */
  readonly basePath: string
  readonly secret: string
  /** The number of users. */
  readonly accounts: number
}

/** The variant of a target program to start. */
export interface TargetSettings {
  readonly storage: 'memory' | 'sqlite' | 'postgres'
  readonly algorithm: 'ES256' | 'RS256'
  /** The format of access tokens, if the target supports both. */
  readonly accessTokens: 'jwt' | 'opaque'
  /** The number of rows before the first request: users of an identity provider, or active grants of the client. */
  readonly rows: number
  /** The URL of an empty database, if the storage is PostgreSQL. */
  readonly postgresUrl?: string
  /** The database file, if the storage is SQLite; absent for a database in memory. */
  readonly sqlitePath?: string
}
