import type { ServerRequest } from '@mintmark/core/http'

/** Creates a request as an adapter passes it to a server, to test the server without a socket. */
export const plainRequest = (
  origin: string,
  sent: {
    readonly method?: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  },
): ServerRequest => ({
  method: sent.method ?? 'GET',
  url: new URL(origin + sent.path),
  headers: new Map(Object.entries(sent.headers ?? {})),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new TextEncoder().encode(sent.body ?? ''),
})

/** Creates a POST request with a form. */
export const plainPost = (
  origin: string,
  path: string,
  form: { readonly body: string; readonly headers?: Readonly<Record<string, string>> },
): ServerRequest =>
  plainRequest(origin, {
    method: 'POST',
    path,
    body: form.body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...form.headers },
  })
