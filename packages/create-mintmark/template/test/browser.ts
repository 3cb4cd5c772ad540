/** A browser without scripts: it keeps cookies, follows redirects and posts forms. */
export interface Browser {
  /** @returns the page where it came to rest, or the address at which it leaves the site. */
  open(url: URL): Promise<Page>
  /** Posts the form of a page as it stands, with what the person fills in. */
  fillIn(page: Page, fields: Readonly<Record<string, string>>): Promise<Page>
}

interface Page {
  readonly url: URL
  readonly html: string
}

/** @param site the origin that it stays on. */
export function openBrowser(site: string): Browser {
  const cookies = new Map<string, string>()

  const go = async (url: URL, form?: URLSearchParams): Promise<Page> => {
    if (url.origin !== site) return { url, html: '' }
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, ...(form && { origin: site }) }
    const reply = await fetch(url, { redirect: 'manual', headers, ...(form && { method: 'POST', body: form }) })
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = reply.headers.get('location')
    return location === null ? { url, html: await reply.text() } : go(new URL(location, url))
  }
  return {
    open: (url) => go(url),
    fillIn: ({ url, html }, fields) => {
      const standing = html.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]*)" value="([^"]*)"/g)
      const form = new URLSearchParams(fields)
      for (const [, name = '', value = ''] of standing) form.append(name, value)
      return go(url, form)
    },
  }
}
