import { signedInAs } from '../support/flow.ts'
import type { ReachableServer } from '../support/server-under-test.ts'
import { createCookieJar } from './cookie-jar.ts'
import { readForm } from './page-form.ts'

/** A browser without scripts, of a person who is signed in at the server's host and consents to all that is asked. */
export interface PersonsBrowser {
  /**
   * Opens an address and goes on wherever it is sent: through redirects, the consent page and `form_post` pages.
   * @throws Error with all addresses, when it is sent about without end.
   */
  open(url: string): Promise<Landing>
  /** The same, beginning with what the application's own page posts: a form, or JSON as text. */
  submit(url: string, body: URLSearchParams | string): Promise<Landing>
}

/** The page where the browser comes to rest. */
export interface Landing {
  readonly url: URL
  readonly status: number
  readonly text: string
  /** The body as a JSON object. */
  readonly json: Readonly<Record<string, unknown>>
  /** Every address on the way, in order. */
  readonly trail: readonly URL[]
}

interface Navigation {
  readonly url: URL
  /** What the page at `from` posts. */
  readonly post?: { readonly body: URLSearchParams | string; readonly from: URL }
}

/** @param meddle changes addresses on the way, as somebody between the person and the server would. */
export function openBrowser(under: ReachableServer, meddle: (url: URL) => URL = (url) => url): PersonsBrowser {
  const jar = createCookieJar()
  jar.keep(new URL(under.issuer), [signedInAs(under, 'U1')])

  const go = async ({ url: given, post }: Navigation, before: readonly URL[]): Promise<Landing> => {
    const url = meddle(given)
    const trail = [...before, url]
    if (trail.length > 15) throw new Error(`The browser is sent about without end:\n${trail.join('\n')}`)
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: jar.header(url),
        accept: 'text/html',
        ...(post && { origin: post.from.origin }),
        ...(typeof post?.body === 'string' && { 'content-type': 'application/json' }),
      },
      ...(post && { method: 'POST', body: post.body }),
    })
    jar.keep(url, reply.headers.getSetCookie())
    const location = reply.status >= 300 && reply.status < 400 ? reply.headers.get('location') : null
    const text = await reply.text()
    // RFC 9110 §15.4.8: 307 and 308 send the form onwards, the others do not.
    const isSentOnwards = reply.status === 307 || reply.status === 308
    if (location !== null) return go({ url: new URL(location, url), ...(isSentOnwards && post && { post }) }, trail)

    const form = readForm(under, url, text)
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

/** Where a trail came back to the application with an answer of the server's. */
export const callbackOf = ({ trail }: Landing): URL => {
  const found = trail.find((url) => url.searchParams.has('state') && url.searchParams.has('iss'))
  if (found === undefined) throw new Error(`The server answered nothing on the way:\n${trail.join('\n')}`)
  return found
}

/** Sets a parameter of the server's answer, on its way to the application. */
export const changeAnswer =
  (name: string, value: string) =>
  (url: URL): URL => {
    const changed = new URL(url)
    if (url.searchParams.has('iss')) changed.searchParams.set(name, value)
    return changed
  }
