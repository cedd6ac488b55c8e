import { useState } from "react";
import { createRoot } from "react-dom/client";
import Select from "react-select";
import Creatable from "react-select/creatable";

const colors = ["Ocean", "Purple", "Red", "Orange", "Yellow", "Green"].map((label) => ({ value: label.toLowerCase(), label, isDisabled: label === "Orange" }));
const grouped = [{ label: "Colors", options: colors.slice(0, 2) }, { label: "Flavours", options: [{ value: "vanilla", label: "Vanilla" }, { value: "salt", label: "Salted caramel" }] }];

function App() {
  const [one, setOne] = useState(colors[0]), [many, setMany] = useState([colors[1], colors[2]]), [made, setMade] = useState(null);
  return (
    <main style={{ width: 400 }}>
      <h1>Order</h1>
      <p id="one-label">Color</p>
      <Select className="one" classNamePrefix="rs" options={colors} value={one} onChange={setOne} isClearable aria-labelledby="one-label" />
      <p>Extras</p>
      <Select className="many" classNamePrefix="rs" isMulti options={grouped} value={many} onChange={setMany} aria-label="Extras" />
      <p>Tag</p>
      <Creatable className="made" classNamePrefix="rs" options={colors} value={made} onChange={setMade} placeholder="Type to add a tag" />
      <p id="log">{`Ordered: ${one?.label ?? "nothing"}; ${many.map((m) => m.label).join(" and ") || "no extras"}; tag ${made?.label ?? "none"}`}</p>
    </main>
  );
}
createRoot(document.getElementById("root")).render(<App />);
