import { dangerouslyUnescaped, type Fragment } from './html.ts'

/** A line drawing in the colour of its text. It repeats what words beside it say, so screen readers pass over it. */
export const icon = (name: keyof typeof paths): Fragment =>
  dangerouslyUnescaped(
    `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${paths[name]}"/></svg>`,
  )

const paths = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6.5 6.5l11 11m0-11l-11 11',
  exclamation: 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18m0 4.5v5.5m0 3.4v.1',
  key: 'M11.5 12.5L20 4m-3.5 3.5l3 3m-6.5-.5l2 2M12.5 15.5a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0',
  leave: 'M10 5H6.5a1.5 1.5 0 0 0-1.5 1.5v11a1.5 1.5 0 0 0 1.5 1.5H10m4.5-3.5L18 12l-3.5-3.5M18 12h-8',
} as const
