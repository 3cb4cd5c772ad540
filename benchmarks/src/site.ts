/** How to talk to a server under measurement: standard protocol, so that every workload is written once. */
export interface Site {
  readonly port: number
  /** Its authorization server; absent where SCIM alone is measured. */
  readonly oauth?: OauthSite
  /** Its SCIM server; absent where OAuth alone is measured. */
  readonly scim?: ScimSite
}

/** How to talk to an authorization server. */
export interface OauthSite {
  /** What the server does not offer is absent. */
  readonly paths: {
    readonly token: string
    readonly authorize?: string
    readonly introspection?: string
    readonly userinfo?: string
    readonly metadata?: string
    readonly jwks?: string
  }
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  /** What a person grants the client. */
  readonly scope: string
  /** Each signs a person in at the authorization endpoint; their consent is stored. */
  readonly cookies: readonly string[]
  /** What the server wants in a client credentials request besides the standard's parameters. */
  readonly serviceParameters: Readonly<Record<string, string>>
}

/** How to talk to a SCIM server whose accounts are those of `scim-person.ts`. */
export interface ScimSite {
  /** `/Users` is below it. */
  readonly basePath: string
  readonly secret: string
  /** How many accounts there are. */
  readonly accounts: number
}

/** Which of its variants a target program is to be. */
export interface TargetSettings {
  readonly storage: 'memory' | 'sqlite' | 'postgres'
  readonly algorithm: 'ES256' | 'RS256'
  /** The access tokens that it issues, where it can issue both. */
  readonly accessTokens: 'jwt' | 'opaque'
  /** What is there before anything is asked: accounts of an identity provider, or live grants of the client. */
  readonly rows: number
  /** The address of an empty database, where the storage is PostgreSQL. */
  readonly postgresUrl?: string
  /** Where its database is to lie, where the storage is SQLite; in memory when it is absent. */
  readonly sqlitePath?: string
}
