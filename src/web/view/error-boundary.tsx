import { Component, type ComponentChildren } from 'preact'

/** Shows an error in place of what cannot be rendered; without it one bad row would break the whole page. */
export class Shield extends Component<{ readonly children: ComponentChildren }, { readonly wrong?: string }> {
  static override getDerivedStateFromError(error: Error): { readonly wrong: string } {
    return { wrong: error.message }
  }

  override render(): ComponentChildren {
    if (this.state.wrong === undefined) return this.props.children
    return <p class="note bad">This part cannot be shown: {this.state.wrong}</p>
  }
}
