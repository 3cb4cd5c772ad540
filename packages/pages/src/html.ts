import { holePlaces, isCarrierOfText, type HolePlace } from './html-template.ts'

/** Markup that is safe to place in a document. Its key is a symbol, so no parsed JSON can pass for one. */
export interface Fragment {
  readonly [markup]: string
}

/** An attribute with its value, or nothing, for a hole inside a tag. */
export interface Attribute {
  readonly [attributeMarkup]: string
}

type Text = string | number | undefined
type Hole = Text | Fragment | Attribute | readonly Hole[]

/**
 * Builds markup from a template. What is put into it is escaped for the place where it stands: text, the value of a
 * double-quoted attribute, or (with `attribute()`) the inside of a tag. Arrays are joined; `undefined` renders nothing.
 * @throws TypeError when a hole stands where no escaping would be safe, or holds what does not belong there: a mistake
 *   in the template, whatever the values are.
 */
export function html(chunks: TemplateStringsArray, ...holes: readonly Hole[]): Fragment {
  const places = holePlaces(chunks)
  const parts = holes.map((hole, at) => renderHole(hole, places[at]))
  return dangerouslyUnescaped(chunks.map((chunk, at) => chunk + (parts[at] ?? '')).join(''))
}

/** An attribute that may be absent: `undefined` renders nothing, `true` an attribute without a value. */
export function attribute(name: string, value: string | true | undefined): Attribute {
  if (!isCarrierOfText(name)) throw new TypeError(`The attribute ${name} does not take escaped text.`)
  if (value === undefined) return { [attributeMarkup]: '' }
  return { [attributeMarkup]: `${name}="${value === true ? '' : escape(value)}"` }
}

/** Takes a constant of this package as markup. Nothing that came from outside may come here. */
export const dangerouslyUnescaped = (constant: string): Fragment => ({ [markup]: constant })

/** The markup as a string, ready to be sent as UTF-8. */
export const toMarkup = (fragment: Fragment): string => fragment[markup]

function renderHole(hole: Hole, place: HolePlace | undefined): string {
  switch (place) {
    case 'text':
      return renderText(hole)
    case 'attribute':
      return renderAttributeValue(hole)
    case 'tag':
      return renderInTag(hole)
    case undefined:
      break
  }
  throw new TypeError('A template has one place for each hole.')
}

function renderText(hole: Hole): string {
  if (isList(hole)) return hole.map(renderText).join('')
  if (typeof hole === 'object' && markup in hole) return hole[markup]
  return renderAttributeValue(hole)
}

function renderAttributeValue(hole: Hole): string {
  if (hole === undefined) return ''
  if (typeof hole === 'string') return escape(hole)
  if (typeof hole === 'number') return String(hole)
  throw new TypeError('This hole takes text only.')
}

function renderInTag(hole: Hole): string {
  if (typeof hole === 'object' && attributeMarkup in hole) return hole[attributeMarkup]
  throw new TypeError('A hole inside a tag takes an attribute() only.')
}

const isList = (hole: Hole): hole is readonly Hole[] => Array.isArray(hole)

/** One escaping for text and both quotes, so that moving a hole between them is never a mistake. */
function escape(text: string): string {
  return text.replace(unsafeCharacter, (character) => replacements.get(character) ?? '\uFFFD')
}

// A parser drops or replaces NUL and turns CR into LF; half of a surrogate pair has no UTF-8.
const unsafeCharacter = /[&<>"'\0\r]|\p{Surrogate}/gu

const replacements: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['\r', '&#13;'],
])

const markup: unique symbol = Symbol('markup')
const attributeMarkup: unique symbol = Symbol('attribute markup')
