/** True when it worked. Browsers give their clipboard to safe origins only, so there is the old way beside it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  const focused = document.activeElement
  document.body.append(field)
  field.select()
  const worked = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return worked
}
