import { attribute, type Fragment, html } from '@mintmark/pages/internal'

/** An input field of a form. */
export interface Field {
  /** The name of the field, and its identifier on the page. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly value?: string
  readonly isRequired?: boolean
  readonly type?: 'text' | 'search'
}

export function field({ name, label, hint, value, isRequired = false, type = 'text' }: Field): Fragment {
  const hintId = hint === undefined ? undefined : `${name}-hint`
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false"
  dir="auto" ${attribute('required', isRequired || undefined)} ${attribute('aria-describedby', hintId)}>
${hint === undefined ? undefined : html`<p class="fine" id="${name}-hint">${hint}</p>`}
</div>`
}

/** A field that is repeated: one input for each value, and some empty ones. */
export function repeatedField({
  name,
  label,
  hint,
  values,
}: Omit<Field, 'value'> & { readonly values: readonly string[] }) {
  const inputs = [...values, ...Array.from({ length: emptyInputs }, () => '')]
  return html`<div class="field"><fieldset aria-describedby="${name}-hint">
<legend>${label}</legend>
${inputs.map(
  (
    value,
    at,
  ) => html`<input name="${name}" type="text" value="${value}" aria-label="${`${label} ${at + 1}`}" autocomplete="off"
  autocapitalize="none" spellcheck="false" dir="ltr">`,
)}
<p class="fine" id="${name}-hint">${hint}</p>
</fieldset></div>`
}

const emptyInputs = 2

export function selection({
  name,
  label,
  options,
  value,
}: Pick<Field, 'name' | 'label' | 'value'> & {
  readonly options: readonly (readonly [value: string, label: string])[]
}) {
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options.map(
    ([option, text]) =>
      html`<option value="${option}" ${attribute('selected', option === value || undefined)}>${text}</option>`,
  )}</select>
</div>`
}

/** The version that the administrator sees, so that a change in an outdated tab is refused. */
export const versionField = (version: string): Fragment => html`<input type="hidden" name="version" value="${version}">`
