import { signedInAs } from '../support/flow.ts'
import { send } from '../support/send.ts'
import type { ReachableServer } from '../support/server-under-test.ts'
import { createCookieJar } from './cookie-jar.ts'
import { readForm } from './page-form.ts'

/** A browser without scripts, whose user is signed in to the host and consents to everything. */
export interface UserBrowser {
  /**
   * Opens a URL, follows redirects, and submits the consent page and `form_post` pages.
   * @throws Error with all URLs when the redirects do not end.
   */
  open(url: string): Promise<Landing>
  /** Like `open`, but starts with a POST from the application's own page: a form, or JSON as a string. */
  submit(url: string, body: URLSearchParams | string): Promise<Landing>
}

/** The last page that the browser reached. */
export interface Landing {
  readonly url: URL
  readonly status: number
  readonly text: string
  /** The body as a JSON object. */
  readonly json: Readonly<Record<string, unknown>>
  /** Every visited URL, in order. */
  readonly trail: readonly URL[]
}

interface Navigation {
  readonly url: URL
  /** The body that the page at `from` posts. */
  readonly post?: { readonly body: URLSearchParams | string; readonly from: URL }
}

/** @param tamper changes the URLs that the browser opens, as an attacker between the user and the server would. */
export function openBrowser(site: ReachableServer, tamper: (url: URL) => URL = (url) => url): UserBrowser {
  const jar = createCookieJar()
  jar.store(new URL(site.issuer), [signedInAs(site, 'U1')])

  const go = async ({ url: requested, post }: Navigation, before: readonly URL[]): Promise<Landing> => {
    const url = tamper(requested)
    const trail = [...before, url]
    if (trail.length > 15) throw new Error(`The redirects do not end:\n${trail.join('\n')}`)
    // `fetch` would send every request with headers that say that it is not a navigation (Fetch Metadata).
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
    // Only 307 and 308 preserve the method and the form (RFC 9110 §15.4.8, §15.4.9).
    const preservesMethod = reply.status === 307 || reply.status === 308
    if (location !== undefined)
      return go({ url: new URL(location, url), ...(preservesMethod && post && { post }) }, trail)

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

/** Returns the URL at which the browser returned to the application with the authorization response. */
export const callbackOf = ({ trail }: Landing): URL => {
  const found = trail.find((url) => url.searchParams.has('state') && url.searchParams.has('iss'))
  if (found === undefined)
    throw new Error(`The browser did not return with an authorization response:\n${trail.join('\n')}`)
  return found
}

/** Returns a function that sets a parameter of the authorization response. */
export const changeAnswer =
  (name: string, value: string) =>
  (url: URL): URL => {
    const changed = new URL(url)
    if (url.searchParams.has('iss')) changed.searchParams.set(name, value)
    return changed
  }
