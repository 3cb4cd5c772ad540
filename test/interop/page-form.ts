import type { ReachableServer } from '../support/server-under-test.ts'
import { postedParameters } from '../support/interaction-steps.ts'

/** A form, with the values that the user submits. */
interface PageForm {
  readonly action: URL
  readonly fields: URLSearchParams
}

/**
 * Reads the form of the host's consent page, with all scope values checked, of a `form_post` page, or of the page on which the
 * user confirms the code of a device. Returns `undefined` for any other page.
 */
export function readForm(site: ReachableServer, url: URL, text: string): PageForm | undefined {
  if (url.origin !== site.issuer) return undefined
  const action = /<form method="post" action="([^"]*)">/.exec(text)?.[1]
  if (action !== undefined) {
    const fields = new URLSearchParams([...postedParameters({ text })])
    // RFC 8628 §3.3: the user has the device in front of them.
    if (action.endsWith('/device/confirm')) fields.set('decision', 'continue')
    return { action: new URL(action), fields }
  }
  if (!url.searchParams.has('interaction') || !text.startsWith('{')) return undefined

  const { scopes } = JSON.parse(text) as { readonly scopes: readonly { readonly name: string }[] }
  return { action: url, fields: new URLSearchParams(scopes.map(({ name }) => ['scope', name])) }
}
