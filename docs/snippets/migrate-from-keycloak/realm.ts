/** The parts of a realm that the import reads, as `kc.sh export --realm acme --users same_file` writes them. */
export interface Realm {
  readonly clients: readonly KeycloakClient[]
  readonly users: readonly KeycloakUser[]
}

export interface KeycloakClient {
  readonly clientId: string
  readonly name?: string
  readonly enabled?: boolean
  readonly secret?: string
  readonly publicClient?: boolean
  readonly redirectUris?: readonly string[]
  readonly attributes?: Readonly<Record<string, string>>
  readonly standardFlowEnabled?: boolean
  readonly serviceAccountsEnabled?: boolean
  readonly defaultClientScopes?: readonly string[]
  readonly optionalClientScopes?: readonly string[]
}

export interface KeycloakUser {
  readonly id: string
  readonly username: string
  readonly email?: string
  readonly emailVerified?: boolean
  readonly firstName?: string
  readonly lastName?: string
  readonly enabled?: boolean
  /** Only of the user that Keycloak creates for a client with a service account. */
  readonly serviceAccountClientId?: string
}
