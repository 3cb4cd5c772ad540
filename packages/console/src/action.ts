import { redirect, type ServerResponse } from '@mintmark/core/http'
import { address, fill, type Fragment, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import type { ApiCall } from './api.ts'
import { versionField } from './elements/field.ts'
import { readForm } from './form.ts'
import { head } from './layout.ts'
import type { Messages, Question } from './languages/messages.ts'
import type { Area, ConsoleRoute, Section, Visit } from './visit.ts'

/** A change of one record that needs no input: a question with one button. */
export interface Action {
  /** The path of the action, below the page of its record. */
  readonly path: string
  readonly area: Area
  readonly section: Section
  /** Whether the action takes something away. */
  readonly isDangerous: boolean
  readonly question: (messages: Messages) => Question
  /** Returns the name of the record, for the question. */
  readonly nameOf: (visit: Visit) => Promise<string>
  readonly call: (visit: Visit) => ApiCall
  /** Returns the path of the page to which the action leads. */
  readonly leadsTo: (visit: Visit) => string
  /** Renders the response instead of the redirect, for a secret that is shown once. */
  readonly answer?: (result: JsonObject, visit: Visit) => Promise<ServerResponse>
}

/** Creates the page of an action: GET asks, and POST carries it out. */
export const actionRoute = (action: Action): ConsoleRoute => ({
  path: action.path,
  area: action.area,
  access: 'write',
  async get(visit) {
    const { title, label, consequence } = action.question(visit.messages)
    const name = await action.nameOf(visit)
    const asked = fill(title, { name: renderName(name, visit.messages.unnamed) })
    return visit.show({
      title: label,
      section: action.section,
      body: html`${head(asked)}
<section>
<p>${consequence}</p>
<form method="post">
${versionField(visit.request.url.searchParams.get('version') ?? '')}
<div class="buttons">
<button class="${action.isDangerous ? 'danger' : 'primary'}" type="submit">${label}</button>
<a class="button" ${address('href', visit.link(action.leadsTo(visit)))}>${visit.messages.buttons.cancel}</a>
</div>
</form>
</section>`,
    })
  },
  async post(visit) {
    const { version } = readForm(visit.request)
    const result = await visit.api.send({ ...action.call(visit), version })
    return action.answer?.(result, visit) ?? seeOther(visit, action.leadsTo(visit))
  },
})

/** Leads to a page that confirms the change. Reloading it does not repeat the change. */
export const seeOther = (visit: Visit, path: string): ServerResponse => redirect(`${visit.link(path)}?done=yes`)

/** Renders the link to the page of an action. */
export function actionLink(visit: Visit, { path, question, isDangerous, object }: ActionLink): Fragment {
  const { label } = question(visit.messages)
  const name = object === undefined ? undefined : html`<span class="of"> ${object}</span>`
  return html`<a class="${isDangerous ? 'button danger' : 'button'}" ${address('href', visit.link(path))}>${label}${name}</a>`
}

interface ActionLink extends Pick<Action, 'path' | 'question' | 'isDangerous'> {
  /** What the action is about, for screen readers, where several links have the same label. */
  readonly object?: string
}
