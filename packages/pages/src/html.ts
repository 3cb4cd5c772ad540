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

/**
 * The address of a form or a link, which the server has verified: http, https or the private-use scheme of an app.
 * @throws TypeError for any other scheme, such as `javascript:`.
 */
export function address(name: 'action' | 'href', url: string): Attribute {
  if (!isWebAddress(url) && !/^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/.test(url))
    throw new TypeError(`No page links to ${url}.`)
  return { [attributeMarkup]: `${name}="${escape(url)}"` }
}

/**
 * A frame without a border or a name for screen readers, which loads a page of another site for its effect.
 * @throws TypeError unless the address is http or https.
 */
export function hiddenFrame(url: string): Fragment {
  if (!isWebAddress(url)) throw new TypeError(`No page frames ${url}.`)
  return dangerouslyUnescaped(`<iframe src="${escape(url)}" hidden title="" aria-hidden="true" tabindex="-1"></iframe>`)
}

/**
 * An image, and another one for the dark scheme.
 * @throws TypeError unless the sources are http, https or `data:` URIs of images.
 */
export function image(input: {
  readonly source: string
  readonly darkSource: string | undefined
  readonly alternative: string
}): Fragment {
  const { source, darkSource = source, alternative } = input
  for (const each of [source, darkSource]) {
    if (!isWebAddress(each) && !each.startsWith('data:image/'))
      throw new TypeError(`No page shows ${each.slice(0, 80)}.`)
  }
  const plain = `<img src="${escape(source)}" alt="${escape(alternative)}">`
  if (darkSource === source) return dangerouslyUnescaped(plain)
  // Spaces and commas separate the candidates of a srcset.
  const candidate = escape(darkSource.replace(/[\s,]/g, encodeURIComponent))
  const media = '(prefers-color-scheme: dark)'
  return dangerouslyUnescaped(`<picture><source media="${media}" srcset="${candidate}">${plain}</picture>`)
}

const isWebAddress = (url: string): boolean => /^https?:\/\//.test(url)

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

/** Where a hole of a template stands: between tags, within an attribute's double quotes, or inside a tag. */
type HolePlace = 'text' | 'attribute' | 'tag'

/**
 * Follows the constant parts of a template through the small part of HTML that templates here are written in, and says
 * where each hole stands.
 * @throws TypeError for anything else: comments, unquoted or single-quoted values with holes, elements whose content is
 *   not markup, attributes whose value is code or an address, a template that ends within a tag.
 */
function holePlaces(chunks: readonly string[]): readonly HolePlace[] {
  const places: HolePlace[] = []
  let place: HolePlace = 'text'
  for (const [at, chunk] of chunks.entries()) {
    place = follow(chunk, place)
    if (at === chunks.length - 1) break
    // Otherwise the hole would continue the name of a tag or of an attribute.
    if (place === 'tag' && !/\s$/.test(chunk)) throw mistake(chunk)
    places.push(place)
  }
  if (place !== 'text') throw new TypeError('A template ends within a tag.')
  return places
}

/** Whether an attribute's value is plain text; escaping does not make code, style or an address safe. */
const isCarrierOfText = (name: string): boolean => /^[a-z][a-z-]*$/i.test(name) && !carriesMoreThanText.test(name)

function follow(chunk: string, start: HolePlace): HolePlace {
  let place = start
  let rest = chunk
  while (rest !== '') {
    const step = steps[place].find(({ pattern }) => pattern.test(rest))
    const match = step?.pattern.exec(rest)
    if (step === undefined || match === undefined || match === null) throw mistake(rest)
    // The name of an attribute that a hole continues.
    if (match[1] !== undefined && !isCarrierOfText(match[1])) throw mistake(rest)
    place = step.to
    rest = rest.slice(match[0].length)
  }
  return place
}

const mistake = (markup: string): TypeError =>
  new TypeError(`A template cannot be escaped here: ${markup.slice(0, 40)}`)

const carriesMoreThanText = /^(?:on.*|style|srcdoc|srcset|src|href|action|formaction|data|http-equiv|xlink.*)$/i

// Every pattern takes at least one character, so `follow` comes to an end.
const steps: Readonly<Record<HolePlace, readonly { readonly pattern: RegExp; readonly to: HolePlace }[]>> = {
  text: [
    { pattern: /^[^<]+/, to: 'text' },
    { pattern: /^<!doctype/i, to: 'tag' },
    { pattern: /^<\/?(?!(?:script|style|textarea|xmp|iframe|no[a-z]*|plaintext)\b)[a-z][a-z0-9]*/i, to: 'tag' },
  ],
  tag: [
    { pattern: /^\s+/, to: 'tag' },
    { pattern: /^\/?>/, to: 'text' },
    { pattern: /^[a-z][a-z-]*(?:="[^"]*")?(?=[\s/>])/i, to: 'tag' },
    { pattern: /^([a-z][a-z-]*)="[^"]*$/i, to: 'attribute' },
  ],
  attribute: [
    { pattern: /^[^"]*"/, to: 'tag' },
    { pattern: /^[^"]+$/, to: 'attribute' },
  ],
}
