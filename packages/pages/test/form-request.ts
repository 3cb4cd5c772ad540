import type { ServerRequest } from '@mintmark/core/http'

interface FormRequest {
  readonly body: string | Uint8Array
  readonly method?: string
  readonly contentType?: string
  readonly repeatedHeaders?: readonly string[]
}

/** Creates the request with which a browser posts a form. Tests set only the members that matter to them. */
export function aFormRequest({ body, method, contentType, repeatedHeaders }: FormRequest): ServerRequest {
  return {
    method: method ?? 'POST',
    url: new URL('https://as.test/consent?interaction=x'),
    headers: new Map([['content-type', contentType ?? 'application/x-www-form-urlencoded']]),
    repeatedHeaders: new Set(repeatedHeaders),
    host: undefined,
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  }
}
