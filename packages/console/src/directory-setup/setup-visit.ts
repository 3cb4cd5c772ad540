import type { DirectorySetup } from '@mintmark/admin'
import type { Header, ServerRequest, ServerResponse } from '@mintmark/core/http'
import { fill, type Fragment, html } from '@mintmark/pages/internal'

import type { SetupMessages } from './languages/messages.ts'

/** A request to the page, with what is needed to answer it. */
export interface SetupVisit {
  readonly request: ServerRequest
  readonly messages: SetupMessages
  /** Whom the page tells people to ask; undefined for the sender of the link. */
  readonly contact: string | undefined
  /** Returns the address of a part of the page. */
  readonly link: (path: string) => string
  readonly show: (content: SetupContent) => ServerResponse
}

/** A request of somebody who has opened a link. */
export interface OpenedVisit extends SetupVisit {
  /** What the link allows. Everything in it is about one directory. */
  readonly setup: DirectorySetup
}

interface SetupContent {
  readonly title: string
  readonly body: Fragment
  /** @defaultValue 200. */
  readonly status?: number
  readonly headers?: readonly Header[]
}

/** Says whom to ask. */
export const askNote = ({ messages: { errors }, contact }: Pick<SetupVisit, 'messages' | 'contact'>): Fragment =>
  html`<p>${contact === undefined ? errors.askSender : fill(errors.ask, { contact: html`<bdi>${contact}</bdi>` })}</p>`
