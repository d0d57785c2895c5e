import { Component, type ComponentChildren } from 'preact'

/** What cannot be drawn is said in its place; without this one bad row would take the whole page with it. */
export class Shield extends Component<{ readonly children: ComponentChildren }, { readonly wrong?: string }> {
  static override getDerivedStateFromError(error: Error): { readonly wrong: string } {
    return { wrong: error.message }
  }

  override render(): ComponentChildren {
    if (this.state.wrong === undefined) return this.props.children
    return <p class="note bad">This part cannot be shown: {this.state.wrong}</p>
  }
}
