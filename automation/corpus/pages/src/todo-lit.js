import { LitElement, html, css, unsafeCSS } from "lit";
import base from "todomvc-app-css/index.css";

const styles = [unsafeCSS(base), css`:host { display: block }`];

class TodoItem extends LitElement {
  static properties = { todo: { attribute: false }, editing: { state: true } };
  static styles = [styles, css`li { position: relative; font-size: 24px; border-bottom: 1px solid #ededed; list-style: none }`];
  render() {
    const { todo } = this, send = (kind, detail) => this.dispatchEvent(new CustomEvent(kind, { detail, bubbles: true, composed: true }));
    return html`<ul class="todo-list" style="padding:0"><li class="${todo.completed ? "completed" : ""} ${this.editing ? "editing" : ""}">
      <div class="view"><input class="toggle" type="checkbox" .checked=${todo.completed} @change=${() => send("todo-change", { ...todo, completed: !todo.completed })}>
        <label @dblclick=${() => { this.editing = true; }}>${todo.title}</label><button class="destroy" @click=${() => send("todo-remove", todo)}></button></div>
      <input class="edit" .value=${todo.title} @keyup=${(e) => { if (e.key === "Enter") { this.editing = false; send("todo-change", { ...todo, title: e.target.value }); } }}></li></ul>`;
  }
}
customElements.define("todo-item", TodoItem);

class TodoApp extends LitElement {
  static properties = { todos: { state: true }, filter: { state: true } };
  static styles = styles;
  constructor() {
    super();
    this.filter = "all";
    this.todos = [{ id: 1, title: "Buy milk", completed: false }, { id: 2, title: "Call the dentist", completed: true }, { id: 3, title: "Water the plants", completed: false }];
    this.addEventListener("todo-change", (e) => { this.todos = this.todos.map((t) => t.id === e.detail.id ? e.detail : t); });
    this.addEventListener("todo-remove", (e) => { this.todos = this.todos.filter((t) => t.id !== e.detail.id); });
  }
  render() {
    const left = this.todos.filter((t) => !t.completed).length;
    const shown = this.todos.filter((t) => this.filter === "all" || t.completed === (this.filter === "completed"));
    return html`<section class="todoapp"><header class="header"><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?" autocomplete="off"
        @keydown=${(e) => { if (e.key === "Enter" && e.target.value) { this.todos = [...this.todos, { id: Date.now(), title: e.target.value, completed: false }]; e.target.value = ""; } }}></header>
      <section class="main"><input class="toggle-all" id="toggle-all" type="checkbox" .checked=${left === 0} @change=${(e) => { this.todos = this.todos.map((t) => ({ ...t, completed: e.target.checked })); }}><label for="toggle-all">Mark all as complete</label>
        <ul class="todo-list">${shown.map((t) => html`<todo-item .todo=${t}></todo-item>`)}</ul></section>
      <footer class="footer"><span class="todo-count"><strong>${left}</strong> ${left === 1 ? "item" : "items"} left</span>
        <ul class="filters">${["all", "active", "completed"].map((f) => html`<li><a href="#/${f}" class=${this.filter === f ? "selected" : ""} @click=${() => { this.filter = f; }}>${f[0].toUpperCase() + f.slice(1)}</a></li>`)}</ul>
        ${this.todos.length > left ? html`<button class="clear-completed" @click=${() => { this.todos = this.todos.filter((t) => !t.completed); }}>Clear completed</button>` : ""}</footer></section>`;
  }
}
customElements.define("todo-app", TodoApp);
