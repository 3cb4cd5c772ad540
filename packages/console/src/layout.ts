import type { ServerResponse } from '@mintmark/core/http'
import { address, attribute, type Brand, fill, type Fragment, html, page, renderName } from '@mintmark/pages/internal'

import type { Messages } from './languages/messages.ts'
import { consoleStyle, consoleStyleHash } from './stylesheet.ts'
import type { Section } from './visit.ts'

/** What every page of the console has. */
export interface Layout {
  readonly brand: Brand | undefined
  readonly messages: Messages
  readonly title: string
  readonly status: number
  readonly body: Fragment
  /** The signed-in administrator, and the parts that they may see; undefined on pages for everybody. */
  readonly navigation?: Navigation | undefined
}

export interface Navigation {
  readonly name: string
  readonly current: Section | undefined
  readonly sections: readonly (readonly [section: Section, address: string])[]
}

/** Renders a page of the console. */
export const consolePage = ({ navigation, ...frame }: Layout): ServerResponse =>
  framedPage({
    ...frame,
    bar:
      navigation &&
      html`<p class="who">${fill(frame.messages.signedInAs, { name: renderName(navigation.name, frame.messages.unnamed) })}</p>`,
    menu: navigation && menu(navigation, frame.messages),
  })

interface Frame extends Pick<Layout, 'brand' | 'title' | 'status' | 'body'> {
  readonly messages: Pick<Messages, 'lang' | 'dir' | 'title' | 'skip'>
  /** Comes after the name of the product. */
  readonly bar?: Fragment | undefined
  readonly menu?: Fragment | undefined
}

/** Renders a page below a bar with the name of the product. */
export const framedPage = ({ brand, messages, title, status, body, bar, menu: links }: Frame): ServerResponse =>
  page({
    brand,
    messages,
    title: `${title} – ${messages.title}`,
    status,
    formAction: 'self',
    surroundings: {
      style: consoleStyle,
      styleHash: consoleStyleHash,
      above: html`<a class="skip" href="#main">${messages.skip}</a>
<header class="bar">
${brand?.header ?? html`<p class="brand">${messages.title}</p>`}
${bar}
</header>
${links}`,
    },
    body,
  })

const menu = ({ current, sections }: Navigation, messages: Messages): Fragment =>
  html`<nav aria-label="${messages.title}"><ul>${sections.map(
    ([section, url]) =>
      html`<li><a ${address('href', url)} ${attribute('aria-current', section === current ? 'page' : undefined)}>${messages.sections[section]}</a></li>`,
  )}</ul></nav>`

/** Renders the head of a page: its title, and its most important links. */
export const head = (title: Fragment | string, links?: Fragment): Fragment =>
  html`<div class="head"><h1>${title}</h1>${links && html`<div class="buttons">${links}</div>`}</div>`
