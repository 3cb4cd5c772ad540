import { signedInAs } from '../support/flow.ts'
import { send } from '../support/reply.ts'
import type { ReachableServer } from '../support/server-under-test.ts'
import { createCookieJar } from './cookie-jar.ts'
import { readForm } from './page-form.ts'

/** A browser without scripts, whose user is signed in at the server's host and consents to everything. */
export interface PersonsBrowser {
  /**
   * Opens an address and follows redirects, the consent page and `form_post` pages.
   * @throws Error with all addresses when the redirects do not end.
   */
  open(url: string): Promise<Landing>
  /** The same, starting with a post by the application's own page: a form, or JSON as text. */
  submit(url: string, body: URLSearchParams | string): Promise<Landing>
}

/** The final page of the browser. */
export interface Landing {
  readonly url: URL
  readonly status: number
  readonly text: string
  /** The body as a JSON object. */
  readonly json: Readonly<Record<string, unknown>>
  /** Every visited address, in order. */
  readonly trail: readonly URL[]
}

interface Navigation {
  readonly url: URL
  /** The post that the page at `from` makes. */
  readonly post?: { readonly body: URLSearchParams | string; readonly from: URL }
}

/** @param meddle changes addresses on the way, as an attacker between the user and the server would. */
export function openBrowser(site: ReachableServer, meddle: (url: URL) => URL = (url) => url): PersonsBrowser {
  const jar = createCookieJar()
  jar.store(new URL(site.issuer), [signedInAs(site, 'U1')])

  const go = async ({ url: given, post }: Navigation, before: readonly URL[]): Promise<Landing> => {
    const url = meddle(given)
    const trail = [...before, url]
    if (trail.length > 15) throw new Error(`The browser is sent about without end:\n${trail.join('\n')}`)
    // Not `fetch`, which says of every request that it is no navigation (Fetch Metadata).
    const reply = await send(Number(url.port), {
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        cookie: jar.header(url),
        accept: 'text/html',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        ...(post && {
          origin: post.from.origin,
          'content-type': typeof post.body === 'string' ? 'application/json' : 'application/x-www-form-urlencoded',
        }),
      },
      ...(post && { method: 'POST', body: post.body.toString() }),
    })
    jar.store(url, reply.cookies)
    const location = reply.status >= 300 && reply.status < 400 ? reply.header('location') : undefined
    const { text } = reply
    // RFC 9110 §15.4.8: 307 and 308 preserve the method and the form, the others do not.
    const isSentOnwards = reply.status === 307 || reply.status === 308
    if (location !== undefined)
      return go({ url: new URL(location, url), ...(isSentOnwards && post && { post }) }, trail)

    const form = readForm(site, url, text)
    if (form !== undefined) return go({ url: form.action, post: { body: form.fields, from: url } }, trail)
    return {
      url,
      status: reply.status,
      text,
      trail,
      get json() {
        return JSON.parse(text) as Record<string, unknown>
      },
    }
  }
  return {
    open: (url) => go({ url: new URL(url) }, []),
    submit: (url, body) => go({ url: new URL(url), post: { body, from: new URL(url) } }, []),
  }
}

/** The address at which the browser came back to the application with the server's answer. */
export const callbackOf = ({ trail }: Landing): URL => {
  const found = trail.find((url) => url.searchParams.has('state') && url.searchParams.has('iss'))
  if (found === undefined) throw new Error(`The server answered nothing on the way:\n${trail.join('\n')}`)
  return found
}

/** Sets a parameter of the server's answer on its way to the application. */
export const changeAnswer =
  (name: string, value: string) =>
  (url: URL): URL => {
    const changed = new URL(url)
    if (url.searchParams.has('iss')) changed.searchParams.set(name, value)
    return changed
  }
