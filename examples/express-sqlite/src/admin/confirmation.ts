import { html, htmlDocument, htmlResponse, type Markup } from '../site/html.ts'
import { dangerousActions, readPostedAction, type AdminPage, type PostedAction } from './admin-page.ts'

/** Shows a question before an action that takes something away, and carries it out when its form is posted. */
export const confirmed =
  (handleAction: AdminPage): AdminPage =>
  async (visit) => {
    const posted = readPostedAction(visit.request)
    const { [posted.action]: question } = dangerousActions
    if (question === undefined || posted.isConfirmed) return handleAction(visit)
    const { pathname, search } = visit.request.url
    return htmlResponse(
      htmlDocument('Are you sure? · Administration', questionForm(pathname + search, posted, question)),
    )
  }

const questionForm = (
  address: string,
  { action, itemId }: PostedAction,
  [button, consequence]: readonly [string, string],
): Markup => html`<header>
<p class="eyebrow"><a href="/">Mintmark example</a></p>
<h1>Are you sure?</h1>
<p>${consequence}</p>
</header>
<form class="actions" method="post" action="${address}">
<input type="hidden" name="about" value="${itemId}">
<input type="hidden" name="confirmed" value="yes">
<button class="danger" type="submit" name="act" value="${action}">${button}</button>
<a href="${address}">Cancel</a>
</form>`
