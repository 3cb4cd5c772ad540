import { type Fragment, html } from '@mintmark/pages/internal'

export interface Bar {
  readonly label: string
  readonly value: number
}

const [width, height, barWidth] = [700, 160, 50]

/**
 * Draws bars with their values as SVG. Screen readers get the same as a table, because a picture with fourteen numbers
 * is no text alternative (WCAG 2.2 §1.1.1).
 */
export function barChart(title: string, bars: readonly Bar[]): Fragment {
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const columns = bars.map(({ label, value }, at) => {
    const tall = Math.round((value / highest) * (height - 50))
    const middle = at * barWidth + barWidth / 2
    return html`<rect x="${at * barWidth + 8}" y="${height - 25 - tall}" width="${barWidth - 16}" height="${tall}" rx="3"></rect>
<text x="${middle}" y="${height - 30 - tall}" text-anchor="middle">${value === 0 ? '' : value}</text>
<text x="${middle}" y="${height - 8}" text-anchor="middle">${label}</text>`
  })
  return html`<div class="table" role="group" tabindex="0" aria-label="${title}">
<svg class="chart" viewBox="0 0 ${width} ${height}" aria-hidden="true" focusable="false">
<path d="M0 ${height - 25}h${width}"></path>
${columns}
</svg>
<table class="heard"><caption>${title}</caption>
<tbody>${bars.map(({ label, value }) => html`<tr><th scope="row">${label}</th><td>${value}</td></tr>`)}</tbody></table>
</div>`
}
