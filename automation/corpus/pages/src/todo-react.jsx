import { useState } from "react";
import { createRoot } from "react-dom/client";

function Item({ todo, change, remove }) {
  const [writable, setWritable] = useState(false);
  return (
    <li className={todo.completed ? "completed" : ""} data-testid="todo-item">
      <div className="view">
        {writable ? (
          <div className="input-container">
            <input className="new-todo" id="todo-input" type="text" data-testid="text-input" autoFocus defaultValue={todo.title}
              onBlur={() => setWritable(false)}
              onKeyDown={(e) => { if (e.key === "Enter") { change({ ...todo, title: e.target.value.trim() }); setWritable(false); } }} />
            <label className="visually-hidden" htmlFor="todo-input">Edit Todo Input</label>
          </div>
        ) : (
          <>
            <input className="toggle" type="checkbox" data-testid="todo-item-toggle" checked={todo.completed} onChange={() => change({ ...todo, completed: !todo.completed })} />
            <label data-testid="todo-item-label" onDoubleClick={() => setWritable(true)}>{todo.title}</label>
            <button className="destroy" data-testid="todo-item-button" onClick={() => remove(todo)} />
          </>
        )}
      </div>
    </li>
  );
}

function App() {
  const [todos, setTodos] = useState([
    { id: 1, title: "Buy milk", completed: false }, { id: 2, title: "Call the dentist", completed: true }, { id: 3, title: "Water the plants", completed: false },
  ]);
  const [filter, setFilter] = useState("");
  const active = todos.filter((t) => !t.completed).length;
  const shown = todos.filter((t) => !filter || t.completed === (filter === "completed"));
  return (
    <>
      <header className="header" data-testid="header">
        <h1>todos</h1>
        <div className="input-container">
          <input className="new-todo" id="todo-input" type="text" data-testid="text-input" autoFocus placeholder="What needs to be done?" onKeyDown={(e) => {
            if (e.key !== "Enter" || !e.target.value.trim()) return;
            setTodos([...todos, { id: Date.now(), title: e.target.value.trim(), completed: false }]);
            e.target.value = "";
          }} />
          <label className="visually-hidden" htmlFor="todo-input">New Todo Input</label>
        </div>
      </header>
      <main className="main" data-testid="main">
        <div className="toggle-all-container">
          <input className="toggle-all" type="checkbox" id="toggle-all" data-testid="toggle-all" checked={active === 0} onChange={(e) => setTodos(todos.map((t) => ({ ...t, completed: e.target.checked })))} />
          <label className="toggle-all-label" htmlFor="toggle-all">Toggle All Input</label>
        </div>
        <ul className="todo-list" data-testid="todo-list">
          {shown.map((t) => <Item key={t.id} todo={t} change={(n) => setTodos(todos.map((o) => o.id === n.id ? n : o))} remove={() => setTodos(todos.filter((o) => o !== t))} />)}
        </ul>
      </main>
      <footer className="footer" data-testid="footer">
        <span className="todo-count">{`${active} ${active === 1 ? "item" : "items"} left!`}</span>
        <ul className="filters" data-testid="footer-navigation">
          {["", "active", "completed"].map((f) => <li key={f}><a className={filter === f ? "selected" : ""} href={"#/" + f} onClick={() => setFilter(f)}>{f ? f[0].toUpperCase() + f.slice(1) : "All"}</a></li>)}
        </ul>
        <button className="clear-completed" disabled={active === todos.length} onClick={() => setTodos(todos.filter((t) => !t.completed))}>Clear completed</button>
      </footer>
    </>
  );
}

createRoot(document.getElementById("root")).render(<App />);
