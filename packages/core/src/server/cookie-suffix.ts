/** Issuers that share a host must not share cookies: the path becomes a part of the name, in characters that a name may have. */
export const cookieSuffix = (issuerUrl: URL): string =>
  issuerUrl.pathname === '/' ? '' : issuerUrl.pathname.replaceAll(/[^A-Za-z0-9]/g, '-')
