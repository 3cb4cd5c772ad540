// Addresses in the options of the authorization server.
import * as z from 'zod/mini'

export const pageUrl = z.string().check(
  z.refine(
    (url) =>
      URL.canParse(url, 'https://issuer.invalid') && /^https?:$/.test(new URL(url, 'https://issuer.invalid').protocol),
    {
      error: 'must be an address, absolute or relative to the issuer',
    },
  ),
)

/** An origin and nothing else: https, or http on loopback. */
export const outboundOrigin = z
  .string()
  .check(
    z.refine(
      (origin) =>
        URL.canParse(origin) &&
        new URL(origin).origin === origin &&
        /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$))/.test(origin),
      { error: 'must be an origin such as https://rp.test:8443, or http on loopback' },
    ),
  )

/** RFC 8705 §5: an https origin and nothing else. */
export const publicOrigin = z.string().check(
  z.refine((origin) => origin.startsWith('https:') && URL.canParse(origin) && new URL(origin).origin === origin, {
    error: 'must be an https origin such as https://mtls.example.com',
  }),
)

export const publicUrl = z.string().check(
  z.refine((url) => URL.canParse(url) && /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/])/.test(url), {
    error: 'must be an https address',
  }),
)
