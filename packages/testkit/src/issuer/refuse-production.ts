/** @throws Error where the environment says that this is production. */
export function refuseProduction(): void {
  if (environmentOf(globalThis)?.['NODE_ENV'] === 'production') {
    throw new Error(
      'A test issuer signs with published keys, so it does not start in production. Take createAuthorizationServer.',
    )
  }
}

/** Workers and browsers have none. */
const environmentOf = (runtime: object): Readonly<Record<string, string | undefined>> | undefined =>
  (runtime as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }).process?.env
