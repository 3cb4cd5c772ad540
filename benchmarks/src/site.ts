/** How to talk to a server under measurement: standard protocol, so that every workload is written once. */
export interface Site {
  readonly port: number
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
  /** Signs a person in at the authorization endpoint; their consent is stored. */
  readonly cookie: string
  /** What the server wants in a client credentials request besides the standard's parameters. */
  readonly serviceParameters: Readonly<Record<string, string>>
}

/** Which of its variants a target program is to be. */
export interface TargetSettings {
  readonly storage: 'memory' | 'sqlite'
  readonly algorithm: 'ES256' | 'RS256'
  /** The access tokens that it issues, where it can issue both. */
  readonly accessTokens: 'jwt' | 'opaque'
}
